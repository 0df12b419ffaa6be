/** Without the guard there is a yes or a no, and nothing that explains it. */
export function StockPanel({ sends }: { sends: boolean }) {
  return (
    <section className="panel">
      <h2>What the SDK says</h2>
      <p className="verdict">
        <span className="pill">{sends ? 'send' : 'hold'}</span>
        <span className="hint">no reason given</span>
      </p>
      <p className="sentence">
        The chat asks <code>lastAssistantMessageIsCompleteWithApprovalResponses</code> or{' '}
        <code>lastAssistantMessageIsCompleteWithToolCalls</code>. Both look at the last step alone and do not
        remember what was sent.
      </p>
    </section>
  );
}
