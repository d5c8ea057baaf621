/** True in `npm run test:all`, false in `npm test`. */
export const isAll = process.env['TEST_ALL'] === '1';

/** Returns how often a test repeats itself: `few` times in `npm test`, `many` times in `npm run test:all`. */
export const repetitions = (few: number, many: number): number => (isAll ? many : few);
