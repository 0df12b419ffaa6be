import './without-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { defineToolApprovalCard, defineToolApprovalQueue } from 'tool-approval-guard/element';
import { App } from './App.tsx';
import './styles.css';

defineToolApprovalCard();
defineToolApprovalQueue();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
