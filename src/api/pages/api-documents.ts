import { readFile } from 'node:fs/promises';
import { Router } from 'express';
import { readOnly } from '../http/request.ts';
import type { HomePageParts } from './home-page.ts';
import { staticContent, staticFile } from './static-files.ts';

// The relative path is the same in src/ and in dist/.
const folder = new URL('../../../schema/', import.meta.url);

/** Serves the machine-readable descriptions of the APIs. They contain no credentials, so any `Host` header is accepted. */
export function apiDocuments({ publicUrl }: Pick<HomePageParts, 'publicUrl'>): Router {
  const router = Router();
  const openApi = async () => {
    const document = JSON.parse(await readFile(new URL('openapi.json', folder), 'utf8'));
    const { servers: _servers, ...rest } = document;
    const url = `${publicUrl() ?? ''}/v1`;
    const { openapi, info, ...parts } = rest;
    const servers = [{ url, description: 'The service that this document comes from.' }];
    return Buffer.from(JSON.stringify({ openapi, info, servers, ...parts }));
  };
  router.get('/openapi.json', staticContent(openApi, 'json'));
  router.get('/events.json', staticFile(new URL('events.json', folder), 'json'));
  router.get('/asyncapi.yaml', staticFile(new URL('asyncapi.yaml', folder), 'yaml'));
  router.all(['/openapi.json', '/events.json', '/asyncapi.yaml'], readOnly);
  return router;
}
