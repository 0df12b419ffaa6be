import type { Keeper } from '../keeper.ts';

/** What may happen to a page at any moment. */
export function Interruptions({ keeper }: { keeper: Keeper }) {
  return (
    <section className="panel">
      <h2>What happens to pages</h2>
      <div className="card-actions">
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
        <button type="button" onClick={() => void window.open(location.href)}>
          Open a second tab
        </button>
      </div>
      <label className="check">
        <input type="checkbox" onChange={({ target }) => (keeper.isDown = target.checked)} />
        The server is down: requests fail
      </label>
      <label className="check">
        <input type="checkbox" onChange={({ target }) => (keeper.lags = target.checked)} />
        Messages lag: the server stored the question before the answer
      </label>
      <p className="hint">Both end with the page.</p>
    </section>
  );
}
