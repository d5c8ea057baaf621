import {
  connectionDetail,
  createConnection,
  deleteConnection,
  listConnections,
  reconnect,
} from '../../../actions/connection/connections.ts';
import {
  type ConnectionView,
  connectedUser,
  connection,
  connectionStatus,
  connectionStatusTexts,
} from '../../../shared/model/connection.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { connectionOf, nodeType } from './refs.ts';
import { enumOf, fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

const names = { id: 'connectionId' };

enumOf('ConnectionStatus', connectionStatus, 'The state of a connection.', (status) => connectionStatusTexts[status]);
objectOf('ConnectedUser', connectedUser, { names: { id: 'userId' } });

// Relay takes every type whose name ends in `Connection` for a page of a list, so a connection has another name here.
const PlatformLoginRef = builder.objectRef<ConnectionView>('PlatformLogin');
const PlatformLoginConnection = connectionOf('PlatformLogin', PlatformLoginRef);

nodeType(PlatformLoginRef, {
  description: schemaDescription(connection),
  id: ({ id }) => id,
  fields: (t) => fieldsOf(t, connection, { names }),
});

builder.queryFields((t) => ({
  connection: t.field({ type: PlatformLoginRef, ...oneCall({ action: connectionDetail, names }) }),
  connections: t.field({
    type: PlatformLoginConnection,
    ...listCall({ action: listConnections, items: 'connections' }),
  }),
}));

mutation('createConnection', createConnection, { payload: { names } });
mutation('reconnectConnection', reconnect, { input: { names }, payload: { names } });
mutation('deleteConnection', deleteConnection, { input: { names }, payload: { names } });
