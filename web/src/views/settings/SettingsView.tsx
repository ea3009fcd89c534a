/** How the daemon is set up. */
export default function SettingsView() {
  return <h1>Settings</h1>;
}
