// Publishes an example of an event on the running development server, and says who got it: npm run trigger -- dm.received --user 101 text=Ahoy
import { readSettings } from '../src/settings/settings.ts'
import { trigger } from './trigger/trigger.ts'

try {
  const lines = await trigger(process.argv.slice(2), readSettings())
  process.stdout.write(`${lines.join('\n')}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
