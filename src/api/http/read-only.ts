import type { Request, Response } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';

/**
 * Refuses every method except GET and HEAD with 405. The routes of pages and documents end with this handler, because Express would
 * otherwise respond to OPTIONS itself and report other methods as an unknown path.
 */
export function readOnly(_request: Request, response: Response): never {
  response.setHeader('allow', 'GET, HEAD');
  throw new PosternError('method_not_allowed', 'Wrong method: this path accepts GET, HEAD');
}
