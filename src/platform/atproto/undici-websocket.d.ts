declare module 'undici/lib/web/websocket/websocket.js' {
  export { WebSocket } from 'undici';
}
