// Compares our connections with those that read with undici, over mutated responses.
//   npm run fuzz                                1,000,000 responses, of a seed that is printed
//   npm run fuzz -- --count=20000 --seed=7      so many, of this seed
import { parseArgs } from 'node:util'
import { compareConnections, describeDifference } from '../stage/response-fuzz/compare.ts'

const { values } = parseArgs({ options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string' } } })
const count = Number(values.count)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const LINE_EVERY = 50_000
const MAX_SHOWN = 20

console.log(`${count} responses of seed ${seed}`)
const { same, listed, differences } = await compareConnections(count, seed, (done) => {
  if (done % LINE_EVERY === 0) console.log(`${done} …`)
})
console.log(`${same} the same`)
for (const [name, times] of Object.entries(listed)) console.log(`${times} listed: ${name}`)
console.log(`${differences.length} differ`)
for (const difference of differences.slice(0, MAX_SHOWN)) console.log(describeDifference(difference))
process.exit(differences.length > 0 ? 1 : 0)
