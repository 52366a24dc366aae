import type { RunCommand } from '../command.ts'
import { EXIT } from '../failure.ts'
import { tableLines } from '../output.ts'
import type { Json } from '../server.ts'

const HEADINGS = ['worker', 'state', 'host', 'pid', 'version', 'roles', 'started', 'in flight', 'waiting']

const rowOf = ({ worker, frozen, host, pid, version, roles, started_at, in_flight, waiting }: Json): string[] => [
  String(worker),
  frozen ? 'frozen' : started_at === null ? 'silent' : 'answers',
  host ?? '–',
  String(pid ?? '–'),
  version ?? '–',
  roles?.join(',') ?? '–',
  started_at ?? '–',
  String(in_flight ?? '–'),
  String(waiting ?? '–'),
]

/** Lists the processes that share the database. */
export const runProcesses: RunCommand = async (_, { out, server }) => {
  const { data } = await server.operator('GET', '/operator/processes')
  out.show({ data }, () => tableLines(HEADINGS, data.map(rowOf)))
  return EXIT.done
}
