import { render } from 'preact';
import { App } from './app.tsx';
import { rootElement } from './page-data.ts';

render(<App />, rootElement());
