// Prints the software bill of materials (CycloneDX): the packages that an installation of Postern has, and those inside of its bundles.
// Use: `npm run --silent build && npx tsx scripts/sbom.ts > postern.cdx.json`. It needs no network.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesIn } from './build/licences.ts';
import { root } from './build/outputs.ts';

interface Component {
  'bom-ref': string;
  name: string;
  properties: { name: string }[];
}

interface Bom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const bom: Bom = JSON.parse(execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8' }));
const { name, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// npm names the component after its folder.
bom.metadata.component.name = name;

// The viewer of /docs is a finished bundle of Scalar, so it counts as one package.
const viewer = '@scalar/fastify-api-reference';
const bundled = new Set([`${viewer}@${devDependencies[viewer]}`]);
for (const output of ['service', 'console', 'graphiql', 'client'])
  for (const ref of packagesIn(readFileSync(join(root, 'dist', output, 'LICENSES.txt'), 'utf8'))) bundled.add(ref);

const isInstalled = ({ properties }: Component) =>
  !properties.some((property) => property.name === 'cdx:npm:package:development');
bom.components = bom.components.filter((component) => isInstalled(component) || bundled.has(component['bom-ref']));
const refs = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
