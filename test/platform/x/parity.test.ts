import { describe } from 'vitest';
import { compareApis } from '../../api/graphql/parity-checks.ts';
import { startXParity } from '../../api/graphql/parity-sandbox.ts';

describe('on X', () => compareApis(startXParity));
