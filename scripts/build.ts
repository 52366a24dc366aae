// npm run build: writes the packages as they are published into dist/, each also packed as `npm install` takes it, and the OpenAPI
// description beside them.
import { spawnSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'

/** Ends the process with a sentence in a clone that was never installed. What is imported below needs its packages. */
function requireInstall() {
  try {
    import.meta.resolve('rolldown')
  } catch {
    console.error(`The packages that the build needs are missing: run \`npm install\` in ${resolve(import.meta.dirname, '..')} first.`)
    process.exit(1)
  }
}

requireInstall()
const { writeDescription } = await import('../server/scripts/api-pages.ts')
const { buildPackage } = await import('./build-package.ts')
const { posternPackage, receiverPackage } = await import('./packages.ts')

for (const build of [posternPackage(), receiverPackage()]) {
  await buildPackage(build)
  const into = dirname(build.out)
  const packed = spawnSync('npm', ['pack', build.out, '--pack-destination', into, '--silent'], { encoding: 'utf8' })
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`)
  console.log(join(into, packed.stdout.trim()))
}
writeDescription()
