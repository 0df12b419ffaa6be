// Sends a message through a guard whose engine is still being loaded, while nothing but that message holds the chat and the
// guard, and memory is collected all the time. Started with --expose-gc. Prints what has left.
import { sdk6, sdk7 } from './sdk.mjs';

const { createApprovalGuard } = await import('tool-approval-guard');
const sdk = process.argv[2] === '6' ? sdk6 : sdk7;

async function send() {
  const sent = [];
  const guard = createApprovalGuard({ chatId: 'c', onError: (error) => sent.push(error.code) });
  const sendMessages = async ({ messages }) => {
    sent.push(messages.length);
    return new ReadableStream({ start: (controller) => controller.close() });
  };
  const chat = new sdk.Chat({ id: 'c', transport: guard.transport({ sendMessages }) });
  guard.attach(chat);
  await chat.sendMessage({ text: 'Go' });
  return sent;
}

const collecting = setInterval(() => globalThis.gc(), 1);
const late = new Promise((resolve) => setTimeout(resolve, 20_000, ['nothing']));
console.log(JSON.stringify(await Promise.race([send(), late])));
clearInterval(collecting);
process.exit(0);
