// A page that keeps its chat in a store of Pinia. The first view that needs the store makes it.
import { createPinia, defineStore } from 'pinia';
import { useApprovalGuard, useToolApprovals } from 'tool-approval-guard/vue';
import { createApp, h, markRaw, ref } from 'vue';

export function openPage({ ai, VueChat, fetch, id, messages, onError }) {
  const useChatStore = defineStore('chat', () => {
    const guard = useApprovalGuard(id);
    const chat = new VueChat({
      id,
      messages,
      transport: guard.value.transport(new ai.DefaultChatTransport({ api: '/api/chat', fetch })),
      sendAutomaticallyWhen: guard.value.sendAutomaticallyWhen,
      onError,
    });
    const { calls } = useToolApprovals(guard, chat);
    const decide = (part, allowed) =>
      guard.value.decide(part.approval.id, allowed ? 'allow-once' : 'deny');
    return { chat: markRaw(chat), calls, decide };
  });

  const view = ref('chat');
  const Chat = {
    setup() {
      const store = useChatStore();
      return () => store.chat.messages.map((message) => h('p', message.role));
    },
  };
  const pinia = createPinia();
  const app = createApp({ render: () => (view.value === 'chat' ? h(Chat) : h('p', 'Settings')) });
  app.use(pinia).mount(document.createElement('div'));
  const store = useChatStore(pinia);
  return { chat: store.chat, decide: store.decide, show: (name) => (view.value = name) };
}
