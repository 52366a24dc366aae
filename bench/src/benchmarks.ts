import type { Benchmark } from './benchmark.ts'
import { accepts } from './benchmarks/accepts.ts'
import { audiences } from './benchmarks/audiences.ts'
import { deliveries } from './benchmarks/deliveries.ts'
import { growth } from './benchmarks/growth.ts'
import { idle } from './benchmarks/idle.ts'
import { isolation } from './benchmarks/isolation.ts'
import { lists } from './benchmarks/lists.ts'
import { malformed } from './benchmarks/malformed.ts'
import { matching } from './benchmarks/matching.ts'
import { memory } from './benchmarks/memory.ts'
import { packaged } from './benchmarks/packaged.ts'
import { posts } from './benchmarks/posts.ts'
import { reads } from './benchmarks/reads.ts'
import { ready } from './benchmarks/ready.ts'
import { signIn } from './benchmarks/sign-in.ts'
import { steady } from './benchmarks/steady.ts'
import { streams } from './benchmarks/streams.ts'
import { uploads } from './benchmarks/uploads.ts'

/** All benchmarks, in the order of the table. */
export const benchmarks: readonly Benchmark[] = [
  ...accepts,
  ...deliveries,
  matching,
  steady,
  isolation,
  reads,
  signIn,
  lists,
  posts,
  audiences,
  uploads,
  streams,
  ready,
  packaged,
  memory,
  growth,
  idle,
  malformed,
]
