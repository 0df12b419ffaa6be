import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RulesPage } from './RulesPage.tsx';
import '../styles.css';
import './rules.css';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <RulesPage />
    </StrictMode>,
  );
}
