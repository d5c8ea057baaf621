interface Named {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
}

const hues = [176, 20, 210, 275, 335, 45, 120, 240];

/** Returns one of the hues. Some platforms have ids that are not numbers. */
function hueOf(id: string): number | undefined {
  return hues[[...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % hues.length];
}

/** The picture of a user. The console loads no pictures from other origins. */
export function Initials({ user: { id, name, userName } }: { user: Named }) {
  const [first = '', second = ''] = (name || userName).split(/\s+/).map((word) => [...word][0] ?? '');
  return (
    <span class="initials" style={{ '--hue': hueOf(id) }} aria-hidden="true">
      {(first + second).toUpperCase()}
    </span>
  );
}
