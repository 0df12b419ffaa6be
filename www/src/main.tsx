import './without-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { defineToolApprovalQueue } from 'tool-approval-guard/element';
import { App } from './App.tsx';
import './styles.css';

defineToolApprovalQueue();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
