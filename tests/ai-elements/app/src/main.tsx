// A chat of AI Elements: its `Tool`, and beside it our `Confirmation` or, with `?stock`, its own. The test is the server.
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useChat } from '@ai-sdk/react';
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import * as Stock from '@neynar/ai-elements/confirmation';
import { Tool, ToolContent, ToolHeader, ToolInput } from '@neynar/ai-elements/tool';
import { createApprovalGuard, type ApprovalGuard, type CallView } from 'tool-approval-guard';
import { useToolApprovals } from 'tool-approval-guard/react';
import {
  Confirmation,
  ConfirmationAccepted,
  ConfirmationAction,
  ConfirmationActions,
  ConfirmationEdit,
  ConfirmationGrant,
  ConfirmationInput,
  ConfirmationRejected,
  ConfirmationRequest,
  ConfirmationTitle,
  toolState,
} from '@/components/tool-approval-guard/confirmation';

const search = new URLSearchParams(location.search);
const { undoMs, ...options } = JSON.parse(search.get('guard') ?? '{}');
const guard = createApprovalGuard({ chatId: 'chat', undoMs: undoMs ?? Infinity, ...options });

const responses: (UIMessageChunk[] | 'broken')[] = [];
const requests: UIMessage[][] = [];
const transport: ChatTransport<UIMessage> = guard.transport({
  sendMessages: async ({ messages }) => {
    requests.push(structuredClone(messages));
    const response = responses.shift() ?? [];
    if (response === 'broken') throw new Error('the connection was lost');
    return new ReadableStream({
      start(stream) {
        for (const chunk of response) stream.enqueue(chunk);
        stream.close();
      },
    });
  },
  reconnectToStream: async () => null,
});

/** As in the guide of AI Elements, with the part's own state. */
function StockConfirmation({ part }: { part: any }) {
  return (
    <Stock.Confirmation approval={part.approval} state={part.state}>
      <Stock.ConfirmationTitle>
        <Stock.ConfirmationRequest>Do you approve?</Stock.ConfirmationRequest>
        <Stock.ConfirmationAccepted>You approved this</Stock.ConfirmationAccepted>
        <Stock.ConfirmationRejected>You rejected this</Stock.ConfirmationRejected>
      </Stock.ConfirmationTitle>
      <Stock.ConfirmationActions>
        <Stock.ConfirmationAction onClick={() => guard.decide(part.approval.id, 'deny')}>
          Reject
        </Stock.ConfirmationAction>
      </Stock.ConfirmationActions>
    </Stock.Confirmation>
  );
}

/** The same composition with ours: what changes are the two properties of the first line. */
function OurConfirmation({ guard, call }: { guard: ApprovalGuard; call: CallView | undefined }) {
  if (search.has('short')) return <Confirmation guard={guard} call={call} />;
  return (
    <Confirmation guard={guard} call={call}>
      <ConfirmationTitle>
        <ConfirmationRequest>Do you approve?</ConfirmationRequest>
        <ConfirmationAccepted>You approved this</ConfirmationAccepted>
        <ConfirmationRejected>You rejected this</ConfirmationRejected>
      </ConfirmationTitle>
      <ConfirmationInput />
      <ConfirmationEdit />
      <ConfirmationGrant />
      <ConfirmationActions>
        <ConfirmationAction choice="deny" variant="outline">
          Reject
        </ConfirmationAction>
        <ConfirmationAction choice="allow-once">Approve</ConfirmationAction>
        <ConfirmationAction choice="allow-chat" options={{ covers: 'tool' }} />
      </ConfirmationActions>
    </Confirmation>
  );
}

function App() {
  const [sendAutomaticallyWhen] = useState(() => guard.sendAutomaticallyWhen);
  const chat = useChat({ id: 'chat', transport, sendAutomaticallyWhen, onError: () => {} });
  const { callOf } = useToolApprovals(guard, chat);
  Object.assign(window, { scene: { guard, chat, responses, requests } });
  return chat.messages.map((message) =>
    message.parts.map((part: any, i) => {
      if (!('toolCallId' in part)) return null;
      const call = callOf(part, message);
      return (
        <section key={`${message.id} ${i}`} id={part.toolCallId}>
          <Tool defaultOpen>
            <ToolHeader type={part.type} state={search.has('stock') ? part.state : toolState(part, call)} />
            <ToolContent>{!search.has('without-input') && <ToolInput input={part.input} />}</ToolContent>
          </Tool>
          {search.has('stock') ? (
            <StockConfirmation part={part} />
          ) : (
            <OurConfirmation guard={guard} call={call} />
          )}
        </section>
      );
    }),
  );
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
