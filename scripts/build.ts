// npm run build: writes the packages as they are published into dist/, each also packed as `npm install` takes it, and the OpenAPI
// description beside them.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { writeDescription } from '../server/scripts/api-pages.ts'
import { buildPackage } from './build-package.ts'
import { posternPackage, receiverPackage } from './packages.ts'

for (const build of [posternPackage(), receiverPackage()]) {
  await buildPackage(build)
  const into = dirname(build.out)
  const packed = spawnSync('npm', ['pack', build.out, '--pack-destination', into, '--silent'], { encoding: 'utf8' })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  console.log(join(into, packed.stdout.trim()))
}
writeDescription()
