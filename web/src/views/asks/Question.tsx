import { type FormEvent, useState } from "react";
import type { Ask } from "../../api/asks";
import { api, taken } from "../../api/client";
import { DeedButton } from "../../shell/DeedButton";
import { Foreign } from "../../shell/Foreign";
import { useDeed } from "../../shell/useDeed";

type Props = { ask: Ask; onDecided: () => void };

/** Answer with one of the options, or with own words where there are none. */
export function Question({ ask, onDecided }: Props) {
  const [text, setText] = useState("");
  const answer = useDeed(async (said: string) => {
    const params = { path: { ask: ask.ask_id } };
    taken(await api.POST("/api/v1/asks/{ask}/answer", { params, body: { text: said } }));
    onDecided();
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    void answer.run(text);
  }
  return (
    <>
      {ask.options.length > 0 && (
        <fieldset className="ask-options">
          <legend>Options</legend>
          {ask.options.map((option) => (
            <DeedButton key={option} disabled={answer.busy} onClick={() => void answer.run(option)}>
              <Foreign text={option} />
            </DeedButton>
          ))}
        </fieldset>
      )}
      <form className="ask-form" onSubmit={submit}>
        <label>
          Your answer
          <textarea
            rows={2}
            dir="auto"
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <DeedButton type="submit" disabled={answer.busy || text.trim() === ""}>
          Answer
        </DeedButton>
      </form>
    </>
  );
}
