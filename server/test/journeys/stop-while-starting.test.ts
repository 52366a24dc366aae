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

/** After so many turns of the event loop it is told to stop: before the seed, while it listens on four ports, while delivery begins. */
const TURNS = [0, 1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30]

for (const flavour of databasesOf(import.meta))
  suite(`a start that is stopped, on ${flavour}`, () => {
    test('it ends whenever that is, and says that it was stopped, or has become ready before', async () => {
      await using database = await migratedDatabase(flavour)
      const settings = await stageSettings({ POSTERN_DATABASE_URL: database.url, POSTERN_OPERATOR_PORT: '0' })
      const operatorTokens = operatorTokensOf(OPERATOR_TOKEN, settings.operatorTokens)
      const outcomes: unknown[] = []
      for (const turns of TURNS) {
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
        outcomes.push(await starting)
      }
      const stopped = outcomes.filter((outcome) => outcome instanceof StoppedError)
      const failed = outcomes.filter((outcome) => outcome instanceof Error && !(outcome instanceof StoppedError))
      assert.deepEqual(failed, [])
      assert.ok(stopped.length > 0, 'some are stopped before they are ready')
    })
  })
