import '../without-eval.ts';
import { defineToolApprovalQueue } from 'tool-approval-guard/element';
import { createApp } from 'vue';
import App from './App.vue';
import '../styles.css';

defineToolApprovalQueue();
createApp(App).mount('#root');
