import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EventsPage } from './EventsPage.tsx';
import '../styles.css';
import './events.css';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <EventsPage />
    </StrictMode>,
  );
}
