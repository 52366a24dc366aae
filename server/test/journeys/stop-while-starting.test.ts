import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { assemble, StoppedError } from '../../src/assemble.ts'
import { createClock } from '../../src/lib/clock.ts'
import { operatorTokensOf } from '../../src/settings/operator-tokens.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { OPERATOR_TOKEN, SECRET } from '../stage/postern.ts'
import { stageSettings } from '../stage/stage-settings.ts'

/** After more and more turns of the event loop it is told to stop: before the seed, while it listens on four ports, while delivery begins. */
const later = (turns: number) => turns + Math.max(1, Math.floor(turns / 4))

for (const flavour of databasesOf(import.meta))
  suite(`a start that is stopped, on ${flavour}`, () => {
    test('it ends whenever that is, and says that it was stopped, or has become ready before', async () => {
      await using database = await migratedDatabase(flavour)
      const settings = await stageSettings({ POSTERN_DATABASE_URL: database.url, POSTERN_OPERATOR_PORT: '0' })
      const operatorTokens = operatorTokensOf(OPERATOR_TOKEN, settings.operatorTokens)
      let outcome: unknown = new StoppedError()
      for (let turns = 0; outcome instanceof StoppedError; turns = later(turns)) {
        const postern = await assemble({
          settings,
          operatorTokens,
          secrets: [SECRET],
          seed: {},
          clock: createClock(),
          logger: pino({ level: 'silent' }),
          unheld: true,
        })
        const starting = postern.start().catch((error) => error)
        for (let count = 0; count < turns; count += 1) await turn()
        await postern.stop()
        outcome = await starting
        if (turns === 0) assert.ok(outcome instanceof StoppedError)
      }
      assert.ok(!(outcome instanceof Error), `${outcome}`)
    })
  })
