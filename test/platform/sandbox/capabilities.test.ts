import { expect, test } from 'vitest';
import { examplePng } from '../../../src/media/media-input.ts';
import type { Client } from '../../support/client.ts';
import { useService } from '../../support/use-service.ts';

const { ada, grace } = await useService();

test('the sandbox accepts a text of the length that it declares, and no longer one', async () => {
  const { data } = (await ada.get('/capabilities')).body;
  const { max_length: usual, max_length_premium: premium } = data['text'] as Record<string, number>;
  const post = async (client: Client, length = 0) =>
    (await client.post('/tweet/create', { text: 'x'.repeat(length) })).status;
  expect([await post(grace, usual), await post(ada, premium)]).toEqual([200, 200]);
  expect([await post(grace, (usual ?? 0) + 1), await post(ada, (premium ?? 0) + 1)]).toEqual([400, 400]);
});

test('the sandbox accepts alt texts and languages, and ignores them', async () => {
  const media = { media_data: examplePng, media_type: 'image/png' };
  const { media_id } = (await ada.post('/media/upload', media)).body.data;
  const input = { text: 'Ein Webstuhl', media_ids: [media_id], media_alt_texts: ['A loom'], langs: ['de'] };
  const { body } = await ada.post('/tweet/create', input);
  expect(body.data).toMatchObject({ text: input.text });
});
