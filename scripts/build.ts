// npm run build: writes the packages as they are published into dist/, and the OpenAPI description beside them.
import { writeDescription } from '../server/scripts/api-pages.ts'
import { buildPackage } from './build-package.ts'
import { posternPackage, receiverPackage } from './packages.ts'

for (const build of [posternPackage(), receiverPackage()]) {
  await buildPackage(build)
  console.log(build.out)
}
writeDescription()
