import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, taken } from "../../api/client";
import { KEYS } from "../../api/keys";
import { useFresh } from "../../api/live";
import { barOf, useMe } from "../../api/me";
import { Ago, Until } from "../../shell/Ago";
import { ConfirmButton } from "../../shell/ConfirmButton";
import { Failure } from "../../shell/Failure";
import { Foreign } from "../../shell/Foreign";
import { Loading } from "../../shell/Loading";
import { useDeed } from "../../shell/useDeed";
import { NewTokenForm } from "./NewTokenForm";

const LIMIT = 200;

/** Who may reach the daemon: tokens of programs and pages, which can be handed out and taken back. */
export function TokensSection() {
  const queries = useQueryClient();
  useFresh(KEYS.tokens, (event) => event.kind.startsWith("token."));
  const scope = useMe()?.scope;
  const bar = barOf(scope, "admin");
  const tokens = useQuery({
    enabled: scope === "admin",
    queryKey: KEYS.tokens,
    queryFn: async ({ signal }) =>
      taken(await api.GET("/api/v1/tokens", { params: { query: { limit: LIMIT } }, signal })),
  });
  const changed = () => queries.invalidateQueries({ queryKey: KEYS.tokens });
  return (
    <section className="rows-section" aria-labelledby="settings-tokens">
      <h2 id="settings-tokens">Tokens</h2>
      {bar ? <p className="note note-calm">{bar}</p> : tokens.isPending && <Loading />}
      {tokens.isError && <Failure error={tokens.error} />}
      {tokens.data && (
        <>
          <ul className="rows-list">
            {tokens.data.map((token) => (
              <TokenRow key={token.token_id} token={token} onChanged={changed} />
            ))}
          </ul>
          <AddToken onChanged={changed} />
        </>
      )}
    </section>
  );
}

function TokenRow({ token, onChanged }: { token: Schemas["TokenView"]; onChanged: () => Promise<void> }) {
  const revoke = useDeed(async () => {
    taken(await api.DELETE("/api/v1/tokens/{token}", { params: { path: { token: token.token_id } } }));
    await onChanged();
  });
  return (
    <li className="rows-row rows-line">
      <strong>
        <Foreign text={token.name} />
      </strong>
      <span>{token.scope}</span>
      <span className="rows-muted">
        {token.kind}, made <Ago us={token.created_us} /> ago
        {token.last_used_us === null ? (
          ", never used"
        ) : (
          <>
            , used <Ago us={token.last_used_us} /> ago
          </>
        )}
        {token.expires_us !== null &&
          (token.is_live ? (
            <>
              , ends in <Until us={token.expires_us} />
            </>
          ) : (
            ", has ended"
          ))}
      </span>
      <ConfirmButton
        needs="admin"
        question={`Revoke the token “${token.name}”?`}
        detail="What is open with it is cut off. A new one can be made at any time."
        confirm="Revoke it"
        className="danger"
        onConfirm={() => void revoke.run()}
        disabled={revoke.busy}
      >
        Revoke
      </ConfirmButton>
    </li>
  );
}

function AddToken({ onChanged }: { onChanged: () => Promise<void> }) {
  const add = useMutation({
    mutationFn: async (body: Schemas["TokenGiven"]) => taken(await api.POST("/api/v1/tokens", { body })),
    onSuccess: onChanged,
    gcTime: 0, // the secret is kept no longer than it is shown
  });
  return (
    <>
      <NewTokenForm
        busy={add.isPending}
        onAdd={(given) =>
          add.mutateAsync(given).then(
            () => true,
            () => false, // it is shown below
          )
        }
      />
      {add.isError && <Failure error={add.error} />}
      {add.data && (
        <div className="note note-warn" role="status">
          <p>The secret of the new token. It is shown this once, and nobody can show it again:</p>
          <p>
            <code className="settings-secret">{secretOf(add.data)}</code>
          </p>
          <button type="button" onClick={() => add.reset()}>
            I have kept it
          </button>
        </div>
      )}
    </>
  );
}

function secretOf(made: Schemas["NewToken"]): string {
  return made.secret;
}
