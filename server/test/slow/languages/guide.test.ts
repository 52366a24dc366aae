// The verifiers of the guide in Python, PHP and Ruby, each run by its language.
import { suite } from 'node:test'
import { verifierAgrees } from '../../../../receiver/test/stage/guide.ts'
import { runtimes } from './runtimes.ts'

suite('the verifiers of the guide "Receive an event" agree with every vector', () => {
  for (const [language, run] of Object.entries(runtimes)) verifierAgrees(language, run)
})
