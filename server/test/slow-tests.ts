/**
 * Test files that `.ci/slow` runs and `npm test` leaves out, each with the reason: they cost much and guard what few changes touch, or need
 * what only the slow lane installs.
 */
export const slowTests: Readonly<Record<string, string>> = {
  'server/test/api/linear-bodies.slow.test.ts': 'compares times; what is read is tested in api/parser-properties.test.ts',
  'server/test/contributing.test.ts': 'compiles a copy of the repository and runs tests there, 30 s; it guards the steps of one page',
  'server/test/journeys/database-failover.test.ts':
    'two pairs of PostgreSQL servers, 8 s of CPU; journeys/read-only-database.test.ts has the sessions that can write nothing',
  'server/test/journeys/description-fuzz.slow.test.ts':
    '60,000 requests; journeys/hostile-requests, hostile-members and hostile-texts ask with fewer',
  'server/test/journeys/faults.test.ts':
    'three faults under load, 28 s; journeys/kill.test.ts has the kill, journeys/clock-steps and disk-full the others',
  'server/test/journeys/fair-share-large.slow.test.ts':
    'measures times, and asks for the dearest of every endpoint on a large world; api/fair-serving.test.ts counts turns',
  'server/test/journeys/fair-share-nearly-empty.slow.test.ts': 'the same on a nearly empty world',
  'server/test/journeys/fleet-faults.slow.test.ts':
    'six processes and four PostgreSQL servers under load, two minutes; journeys/roles.test.ts and storage/several-logs.test.ts have what each does',
  'server/test/journeys/fleet-replays.slow.test.ts':
    'waits twice for a lease, with two processes; journeys/fleet.test.ts takes over deliveries the same way, journeys/replay.test.ts has replays',
  'server/test/journeys/fleet-roles.slow.test.ts':
    'fifteen starts of processes, and a lease to wait for, 48 s of CPU; journeys/roles.test.ts has what each role does',
  'server/test/journeys/frozen-log.test.ts': 'fifteen seconds of real time; storage/silent-log.test.ts has the thread that stands still',
  'server/test/journeys/killed-resends.slow.test.ts':
    'starts five processes, and waits for a lease; storage/resend-jobs.test.ts and journeys/resend-jobs.test.ts have claims and the rest',
  'server/test/journeys/killed-restores.slow.test.ts':
    'ten starts of processes; journeys/snapshots.test.ts has restores that fail and those under load',
  'server/test/journeys/log-readers.test.ts':
    'measures the memory of two processes over 1,300 calls; logging/pipe-log.test.ts bounds what is kept for a reader, journeys/start-and-stop.test.ts ends one whose reader has gone',
  'server/test/journeys/lost-log.slow.test.ts': 'forty starts of processes; journeys/lost-log.test.ts has the commonest losses',
  'server/test/journeys/several-logs.slow.test.ts':
    'three processes under load, a kill and a lease to wait for, 17 s of CPU; storage/several-logs.test.ts has what the logs do one by one',
  'server/test/journeys/strange-requests.slow.test.ts':
    'measures times, of some ten thousand requests; journeys/hostile-requests asks with fewer',
  'server/test/journeys/telemetry-faults.slow.test.ts':
    'four starts of processes, two from the sources; architecture.test.ts has who imports OpenTelemetry, journeys/traces.test.ts what is sent',
  'server/test/storage/long-log.slow.test.ts': 'logs with a million events; the answers of the same pages are tested with few',
  'server/test/storage/many-retries.slow.test.ts':
    'compares times with 200,000 retries; storage/event-log.test.ts finds the same ones behind a thousand',
  'server/test/storage/list-plans.test.ts':
    'the planners choose an index only with many rows; the answers of the same lists are tested with few',
  'postern/test/cli/large-backup.slow.test.ts':
    '100,000 posts and 100,000 deliveries, a minute; journeys/backups.test.ts has all the same with few',
  'bench/test/simulate.test.ts':
    'four PostgreSQL servers, 17 s of CPU; storage/several-logs.test.ts loses a log, delivery/dispatcher.test.ts bounds the queues',
  'server/test/slow/browser/approval-page.test.ts': 'a browser; the same pages are read by HTTP in journeys/sign-in.test.ts',
  'server/test/slow/browser/console-act.test.ts':
    'a browser, at three sizes; the endpoints are tested in journeys/resend, journeys/operator-replay and endpoints/search-events',
  'server/test/slow/browser/console-attacks.test.ts': 'a browser; journeys/console-attacks.test.ts has the attacks that need none',
  'server/test/slow/browser/console-memory.test.ts': 'a browser, and two minutes of events',
  'server/test/slow/browser/console-causes.test.ts':
    'a browser, at three sizes; journeys/unmatched-events and endpoints/retry-hint have what the server tells',
  'server/test/slow/browser/console-everywhere.test.ts':
    'a browser, and every screen several times; journeys/console.test.ts has what the server does for it',
  'server/test/slow/browser/console-overview.test.ts':
    'a browser, at three sizes; the endpoints that its screens call are tested in endpoints/operate',
  'server/test/slow/browser/portal.test.ts': 'a browser, at three sizes; journeys/portal.test.ts has what the server does for it',
  'server/test/slow/browser/console.test.ts': 'a browser, at three sizes; journeys/console.test.ts has what the server does for it',
  'server/test/slow/browser/console-develop.test.ts':
    'a browser, at three sizes; the endpoints that its screens call have tests of their own in journeys and endpoints',
  'server/test/slow/browser/reference-page.test.ts':
    'a browser, at two sizes; journeys/reference-page.test.ts reads the same pages by HTTP',
  'server/test/slow/browser/start-page.test.ts': 'a browser, at two sizes; journeys/start-page.test.ts reads the same page by HTTP',
  'server/test/slow/clients/older-clients.test.ts': 'clients that are no longer developed; newer ones make the same calls',
  'server/test/slow/clients/older-uploads.test.ts':
    'a client that is no longer developed; journeys/media-clients.test.ts has its newer version',
  'server/test/slow/clients/take-over.test.ts': 'node-fetch, which only older clients bring; it connects by node:https, which is tested',
  'server/test/slow/deploy/kubernetes.test.ts':
    'the types of the API of Kubernetes, 20 MB; postern/test/kubernetes.test.ts holds the manifests against Postern',
  'server/test/slow/languages/guide.test.ts': 'Python, PHP and Ruby as WebAssembly, 175 MB, for three blocks of code of one page',
  'server/test/slow/package/bill-of-materials.test.ts':
    'the schemas of CycloneDX, 7 MB; postern/test/package.test.ts compares the bill with what npm installs',
  'postern/test/take-over/clients-page.test.ts':
    'programs of a page, with client libraries, 8 s of CPU; take-over/run.test.ts and take-over/take-over.test.ts have the hosts that lead to Postern, journeys/content-clients and ads-client the libraries',
  'receiver/test/package.test.ts':
    'builds, packs and installs the package, 6 s of CPU; the other tests of receiver/test run the same modules from the sources',
  'server/test/kept-bundle.test.ts':
    'bundles a copy of the sources twice and starts it six times, 13 s of CPU; the servers that `npm test` starts run from a bundle',
  'postern/test/package.test.ts':
    'builds, packs and installs the package, 16 s of CPU; `npm test` bundles the same sources for the servers that it starts, and the other tests of postern/test run the command and the kit from them',
  'server/test/slow/package/examples.test.ts': 'vitest, and a built package; postern/test/package.test.ts runs the example of node:test',
  'server/test/slow/pictures/pictures.test.ts': 'a browser; readme.test.ts has the pictures that are there',
  'server/test/slow/programs/broker-faults.test.ts':
    'nats-server, thirty starts of processes and 100,000 messages; journeys/broker.test.ts has the same broker without faults, delivery/broker-consumer.test.ts outages of the log',
  'server/test/slow/programs/ffmpeg.test.ts': 'ffmpeg',
  'server/test/slow/programs/prometheus.test.ts':
    'Prometheus; journeys/metrics.test.ts compares the names in every query with those that are told',
  'server/test/slow/programs/alerts.test.ts':
    'Prometheus, and faults of processes, disks and databases, three minutes; runbook.test.ts has that each alert is in the runbook',
  'server/test/slow/programs/operating-page.test.ts': 'nginx, Caddy and systemd-analyze',
  'server/test/slow/runbook/apps.test.ts':
    'the shell of an operator, 25 s; the endpoints are tested in endpoints and journeys, and runbook.test.ts has that each section has a test',
  'server/test/slow/runbook/credentials.test.ts':
    'the same for wrong and stolen credentials; journeys/revoked-tokens and rotated-secrets have what ends',
  'server/test/slow/runbook/postgres.test.ts':
    'a pair of PostgreSQL servers, and a frozen process; journeys/database-failover, read-only-database and fleet have the faults',
  'server/test/slow/runbook/server.test.ts':
    'faults of processes and disks, 80 s; journeys/disk-full, frozen-log, backups and operator-tokens have the faults',
  'server/test/slow/programs/rolling-upgrade.test.ts':
    'the former release from the history, six starts; storage/rolling-upgrades.test.ts has what a database says of releases',
  'server/test/slow/programs/restarts.test.ts': 'nginx and Caddy, and 2,000 probes for each',
}
