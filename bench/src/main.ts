// Measures every figure beside its limit and prints one table: npm run bench -- [--quick] [--only <name>]… [--write]
import { parseArgs } from 'node:util'
import type { Line } from './figure.ts'
import { figures } from './figures.ts'
import { machine } from './machine.ts'
import { fullPace, quickPace } from './pace.ts'
import { table } from './table.ts'
import { writePage } from './write-page.ts'

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})
const chosen = asked.only ? figures.filter(({ name }) => asked.only!.includes(name)) : figures
const pace = asked.quick ? quickPace : fullPace

const circumstances = machine()
const lines: Line[] = []
for (const figure of chosen) {
  process.stderr.write(`measuring ${figure.name} …\n`)
  lines.push(...(await figure.measure(pace)))
}
process.stdout.write(`${table(lines)}\n\n${circumstances}\n`)
if (asked.write) await writePage({ figures: chosen, lines, pace, circumstances })
