// The dearest request of every endpoint on a nearly empty world, twenty at once beside the reads of another app.
import { nearlyEmpty } from '../stage/fair-share/large-world.ts'
import { sweep } from '../stage/fair-share/sweep.ts'

sweep(nearlyEmpty)
