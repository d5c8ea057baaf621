import { capabilities } from '../../../actions/account/capabilities.ts';
import { actionSupport, mediaLimit, capabilities as schema, textLimit } from '../../../shared/model/capabilities.ts';
import { oneCall } from './bind.ts';
import { objectOf } from './zod-types.ts';

objectOf('ActionSupport', actionSupport);
objectOf('TextLimit', textLimit);
objectOf('MediaLimit', mediaLimit);

export const CapabilitiesRef = objectOf('Capabilities', schema);

export const readCapabilities = oneCall({ action: capabilities });
