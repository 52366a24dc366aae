// The dearest request of every endpoint on a large world, twenty at once beside the reads of another app.
import { large } from '../stage/fair-share/large-world.ts'
import { sweep } from '../stage/fair-share/sweep.ts'

sweep(large)
