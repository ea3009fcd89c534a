import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { api, type Schemas, taken } from "../../api/client";
import { newId } from "../../api/ids";
import { KEYS } from "../../api/keys";
import { DeedButton } from "../../shell/DeedButton";
import { Failure } from "../../shell/Failure";
import { toAgent } from "../../shell/links";
import { givenOf, MODES } from "./given";
import { ProfileChoice } from "./ProfileChoice";
import "../rows/rows.css";
import "./newsession.css";

/** Begins a conversation: what is to be done, by whom, where, and what may be spent on it. */
export default function NewSessionView() {
  const [, navigate] = useLocation();
  const form = useRef<HTMLFormElement>(null);
  // Sent twice, the same form begins one conversation; another text is another one.
  const clientId = useRef(newId());
  const [choice, setChoice] = useState("");
  const textId = useId();
  const profiles = useQuery({
    queryKey: KEYS.profiles,
    queryFn: async ({ signal }) => taken(await api.GET("/api/v1/profiles", { signal })),
  });
  const begin = useMutation({
    mutationFn: async (body: Schemas["SessionGiven"]) => taken(await api.POST("/api/v1/sessions", { body })),
    onSuccess: (said) => navigate(toAgent(said.session_id)),
  });

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (begin.isPending) return;
    const data = new FormData(event.currentTarget);
    const field = (name: string) => String(data.get(name) ?? "");
    begin.mutate(
      givenOf(
        {
          text: field("text"),
          choice,
          cwd: field("cwd"),
          mode: field("mode"),
          attended: data.has("attended"),
          tokens: field("tokens"),
          dollars: field("dollars"),
        },
        clientId.current,
      ),
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  }

  return (
    <>
      <div className="rows-head">
        <h1>New conversation</h1>
      </div>
      <form
        ref={form}
        className="newsession-form"
        onSubmit={onSubmit}
        onChange={() => {
          clientId.current = newId();
        }}
      >
        <label htmlFor={textId}>What is to be done</label>
        <textarea id={textId} name="text" required rows={6} dir="auto" onKeyDown={onKeyDown} />
        <ProfileChoice teams={profiles.data} choice={choice} onChoice={setChoice} />
        {profiles.isError && <Failure error={profiles.error} />}
        <div className="rows-fields">
          <label className="newsession-wide">
            Directory of the daemon's machine
            <input name="cwd" placeholder="where the daemon was started" autoComplete="off" />
          </label>
          <label>
            Who decides what agents ask
            <select name="mode" defaultValue="">
              <option value="">as the team says</option>
              {MODES.map(([mode, words]) => (
                <option key={mode} value={mode}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className="rows-check">
            <input type="checkbox" name="attended" defaultChecked /> I am there for questions
          </label>
        </div>
        <fieldset className="rows-fields">
          <legend>All that grows out of it may spend at most</legend>
          <label>
            Tokens
            <input
              name="tokens"
              inputMode="numeric"
              pattern="[0-9]{1,15}"
              title="a whole number; 0 is no limit"
            />
          </label>
          <label>
            US dollars
            <input
              name="dollars"
              inputMode="decimal"
              pattern="[0-9]{1,9}([.][0-9]{1,6})?"
              title="such as 0.50; 0 is no limit"
            />
          </label>
        </fieldset>
        {begin.isError && <Failure error={begin.error} />}
        <div className="rows-buttons">
          <DeedButton type="submit" disabled={begin.isPending}>
            {begin.isPending ? "Beginning …" : "Begin"}
          </DeedButton>
          <span className="rows-muted">or Ctrl and Enter</span>
        </div>
      </form>
    </>
  );
}
