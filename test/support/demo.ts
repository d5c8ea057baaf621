import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoAccount, Demo as WrittenDemo } from '../../src/api/demo/demo.ts';

/** The content of `demo.json`. The sandbox has at least three demo accounts. */
export type Demo = WrittenDemo & { accounts: [DemoAccount, DemoAccount, DemoAccount] };

export const readDemo = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
