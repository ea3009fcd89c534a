import { KeysSwitch } from "../../shell/KeysSwitch";
import { NotifySwitch } from "../../shell/NotifySwitch";
import { ConfigSection } from "./ConfigSection";
import { ProfilesSection } from "./ProfilesSection";
import { RightsSection } from "./RightsSection";
import { StatusSection } from "./StatusSection";
import { TokensSection } from "./TokensSection";
import "../rows/rows.css";
import "../../shell/notes.css";
import "./settings.css";

/** How the daemon stands and is set, who may reach it, and what conversations may do. */
export default function SettingsView() {
  return (
    <>
      <div className="rows-head">
        <h1>Settings</h1>
      </div>
      <StatusSection />
      <section className="rows-section" aria-labelledby="settings-page">
        <h2 id="settings-page">This page</h2>
        <NotifySwitch />
        <KeysSwitch />
      </section>
      <RightsSection />
      <TokensSection />
      <ProfilesSection />
      <ConfigSection />
    </>
  );
}
