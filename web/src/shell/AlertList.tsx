import { useSyncExternalStore } from "react";
import { Link } from "wouter";
import { Ago } from "./Ago";
import { dropAlert, dropAlerts, shownAlerts, watchAlerts } from "./alerts";
import { shown } from "./shown";
import { putAwayKey } from "./toasts";
import "./alerts.css";
import { Foreign } from "./Foreign";

/** What has happened in conversations that were not looked at, until it is put away. */
export function AlertList() {
  const alerts = useSyncExternalStore(watchAlerts, shownAlerts);
  if (alerts.length === 0) return null;
  return (
    <details
      className="alerts"
      onToggle={({ currentTarget }) => {
        // What stands in the open list need not cover it.
        if (currentTarget.open) for (const { key } of alerts) putAwayKey(key);
      }}
    >
      <summary>
        Alerts <span className="header-badge">{alerts.length}</span>
      </summary>
      <div className="alerts-list">
        <ul aria-label="Alerts">
          {alerts.map((alert) => (
            <li key={alert.key} className={`note note-${alert.tone}`}>
              <Link href={alert.href} onClick={() => dropAlert(alert.key)}>
                <Foreign text={alert.title} />
              </Link>{" "}
              <Ago us={alert.atUs} /> ago
              {alert.text && <p dir="auto">{shown(alert.text)}</p>}
            </li>
          ))}
        </ul>
        <button type="button" onClick={dropAlerts}>
          Put all away
        </button>
      </div>
    </details>
  );
}
