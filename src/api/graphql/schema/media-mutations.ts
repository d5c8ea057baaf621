import { GraphQLError } from 'graphql';
import { uploadMedia } from '../../../actions/media/upload.ts';
import { ReceivedFile } from '../../../media/received-file.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { performs } from './mutation.ts';

interface UploadedMedia {
  media_id: string;
  media_type: string;
  size: number;
}

builder.scalarType('Upload', {
  description:
    'A file that comes with the request, as the GraphQL multipart request specification has it ' +
    '(https://github.com/jaydenseric/graphql-multipart-request-spec). Only ever the value of a variable.',
  serialize: () => {
    throw new GraphQLError('Upload is never an output');
  },
  parseValue: (value) => {
    if (value instanceof ReceivedFile) return value;
    throw new GraphQLError('Expected a file: send the request as multipart/form-data');
  },
  parseLiteral: () => {
    throw new GraphQLError('Expected a variable that stands for a file');
  },
});

const UploadMediaPayload = builder.objectRef<UploadedMedia>('UploadMediaPayload');

builder.objectType(UploadMediaPayload, {
  description: 'Media that was uploaded.',
  fields: (t) => ({
    mediaId: t.exposeString('media_id', { description: 'To be attached by the same actor.' }),
    mediaType: t.exposeString('media_type', { description: 'MIME type, as the bytes say.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
  }),
});

const UploadMediaInput = builder.inputType('UploadMediaInput', {
  description: 'A picture or a video: give `mediaUrl`, `mediaData` or `file`.',
  fields: (t) => ({
    mediaUrl: t.string({ description: 'Address to fetch it from.' }),
    mediaData: t.string({ description: 'Base64, or a data: URI of base64; what is larger comes as a `file`.' }),
    mediaType: t.string({ description: 'MIME type. Needed with `mediaData`, unless that is a data: URI.' }),
    file: t.field({ type: 'Upload', description: 'The file itself, in a multipart request.' }),
  }),
});

builder.mutationField('uploadMedia', (t) =>
  t.field({
    type: UploadMediaPayload,
    description: 'Upload a picture or a video, to attach it. A call.',
    args: { input: t.arg({ type: UploadMediaInput, required: true, description: 'What to upload.' }) },
    ...performs<typeof UploadMediaInput.$inferInput, UploadedMedia>(uploadMedia, (media) =>
      given({
        media_url: media.mediaUrl,
        media_data: bytesOf(media.mediaData, media.file),
        media_type: media.mediaType,
      }),
    ),
  }),
);

/** Both are bytes to the action, which refuses what is neither. */
export function bytesOf(text: string | null | undefined, file: ReceivedFile | null | undefined): unknown {
  if (file == null || text == null) return file ?? text;
  return { both: true };
}
