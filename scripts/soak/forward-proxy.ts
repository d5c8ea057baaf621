// A forward proxy on loopback. Usage: forward-proxy.js [PORT]
import { Server } from 'proxy-chain';

const server = new Server({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1' });
await server.listen();
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
