import { GraphQLError } from 'graphql';
import { uploadMedia } from '../../../actions/media/upload.ts';
import { ReceivedFile } from '../../../media/received-file.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';

builder.scalarType('Upload', {
  description:
    'A file that is sent with the request, as defined by the GraphQL multipart request specification ' +
    '(https://github.com/jaydenseric/graphql-multipart-request-spec). It can only be the value of a variable.',
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

mutation('uploadMedia', uploadMedia, { input: { files: { media_data: 'file' } } });
