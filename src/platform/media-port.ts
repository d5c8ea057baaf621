import type { TakenMedia } from '../shared/model/taken-media.ts';

/** What can be asked of a platform that keeps media. */
export interface PlatformMedia {
  /**
   * The platform's id of what was uploaded, to be attached by its owner alone. `bad_input` where the platform does not take
   * such media.
   */
  upload(media: TakenMedia): Promise<string>;
}
