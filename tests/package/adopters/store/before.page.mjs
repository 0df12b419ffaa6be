// A page that keeps its chat in a store of Pinia. The first view that needs the store makes it.
import { createPinia, defineStore } from 'pinia';
import { createApp, h, markRaw, ref } from 'vue';

export function openPage({ ai, VueChat, fetch, id, messages, onError }) {
  const useChatStore = defineStore('chat', () => {
    const chat = new VueChat({
      id,
      messages,
      transport: new ai.DefaultChatTransport({ api: '/api/chat', fetch }),
      sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses,
      onError,
    });
    const decide = (part, allowed) =>
      chat.addToolApprovalResponse({ id: part.approval.id, approved: allowed });
    return { chat: markRaw(chat), decide };
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
