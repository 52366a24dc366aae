// npm run build: writes the packages as they are published into dist/.
import { buildPackage } from './build-package.ts'
import { posternPackage, receiverPackage } from './packages.ts'

for (const build of [posternPackage(), receiverPackage()]) {
  await buildPackage(build)
  console.log(build.out)
}
