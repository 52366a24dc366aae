// Ends the process with one sentence when its Node is not one of `engines` in package.json. Whatever starts a part of Postern loads this
// first: it runs on every Node that has ES modules, and what needs a newer one is loaded after it.
import { readFileSync } from 'node:fs'

const { engines, private: isRepository } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
const running = process.versions.node

/** @param {string} version @param {string} least */
function isAtLeast(version, least) {
  const numbers = version.split('.').map(Number)
  const wanted = least.split('.').map(Number)
  const different = wanted.findIndex((number, place) => number !== numbers[place])
  return different === -1 || Number(numbers[different]) > Number(wanted[different])
}

/** @param {string} range `^24.18.1` (of this major version) or `>=26.5.1` */
function isIn(range) {
  const least = range.replace(/^\D+/, '')
  const isOfMajor = running.split('.')[0] === least.split('.')[0]
  return isAtLeast(running, least) && (isOfMajor || range.startsWith('>='))
}

if (!engines.node.split(' || ').some(isIn)) {
  process.stderr.write(
    `Postern needs Node ${engines.node.replace('||', 'or')}, and this is ${running}: ` +
      `${isRepository ? '`npm install` brings one for `npm start`, and https://nodejs.org has one for the whole machine' : 'https://nodejs.org has one'}.\n`,
  )
  process.exit(1)
}
