import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError, portal } from './api.ts'
import { FeedScreen } from './feed-screen.tsx'
import { Failure, Reading } from './parts/loaded.tsx'
import { NotFound, type ScreenComponent, type ScreenProps } from './parts/page.tsx'
import { place } from './router.tsx'

interface Screen {
  /** The first step of its path. */
  step: string
  /** What the navigation calls it. */
  inNavigation?: string
  /** There is nothing of it in production. */
  isOfDevelopment?: boolean
  /** The component, or what loads the module of it. */
  component?: ScreenComponent
  load?: () => Promise<ScreenComponent>
  /** The same for a page of one thing: with more steps. */
  loadOne?: () => Promise<ScreenComponent>
  /** The portal of an app has it, without the parts that are the operator's alone: all that it reads is narrowed to the app. */
  isInPortal?: boolean
}

/** Every screen, in the order of the navigation. All but the feed load when they are opened. */
const screens: readonly Screen[] = [
  { step: 'overview', inNavigation: 'Overview', load: async () => (await import('./further-screens.ts')).OverviewScreen },
  { step: '', inNavigation: 'Feed', component: FeedScreen },
  {
    step: 'webhooks',
    inNavigation: 'Webhooks',
    load: async () => (await import('./further-screens.ts')).WebhooksScreen,
    loadOne: async () => (await import('./further-screens.ts')).WebhookScreen,
    isInPortal: true,
  },
  {
    step: 'apps',
    inNavigation: 'Apps',
    load: async () => (await import('./further-screens.ts')).AppsScreen,
    loadOne: async () => (await import('./further-screens.ts')).AppScreen,
  },
  { step: 'operate', inNavigation: 'Operate', load: async () => (await import('./further-screens.ts')).OperateScreen },
  {
    step: 'develop',
    inNavigation: 'Develop',
    isOfDevelopment: true,
    load: async () => (await import('./develop-screen.tsx')).DevelopScreen,
  },
  { step: 'deliveries', load: async () => (await import('./further-screens.ts')).DeliveriesScreen },
  { step: 'search', load: async () => (await import('./further-screens.ts')).SearchScreen },
  { step: 'compare', load: async () => (await import('./further-screens.ts')).CompareScreen },
  { step: 'calls', load: async () => (await import('./further-screens.ts')).CallScreen },
  {
    step: 'events',
    load: async () => (await import('./further-screens.ts')).EventScreen,
    isInPortal: true,
  },
]

/** The first screen of a portal has the place of the feed. */
const portalScreens: readonly Screen[] = [
  { step: '', inNavigation: 'Deliveries', load: async () => (await import('./further-screens.ts')).PortalScreen },
  ...screens.filter(({ isInPortal }) => isInPortal),
]

export const screensHere = () => (portal.value ? portalScreens : screens)

const loaded = new Map<string, ScreenComponent>()

/** A screen whose module is on its way, or could not be loaded: a newer server has other files. */
function LoadedScreen({ step, load, ...props }: ScreenProps & { step: string; load: () => Promise<ScreenComponent> }) {
  const Component = useSignal(loaded.get(step))
  const error = useSignal<ApiError | undefined>(undefined)
  useEffect(() => {
    if (Component.value) return
    load().then(
      (component) => {
        loaded.set(step, component)
        Component.value = component
      },
      () => {
        error.value = new ApiError(0, 'This part of the console could not be loaded. Load the page again.')
      },
    )
  }, [])
  if (error.value) return <Failure error={error.value} />
  return Component.value ? <Component.value {...props} /> : <Reading />
}

/** The screen at the address. */
export function ScreenHere() {
  const [first = '', ...steps] = place.value.steps
  const key = place.value.steps.join('/')
  const screen = screensHere().find(({ step }) => step === first)
  if (!screen) return <NotFound />
  if (screen.component) return <screen.component key={key} steps={steps} />
  const one = steps.length > 0 ? screen.loadOne : undefined
  return <LoadedScreen key={key} step={one ? `${first}/` : first} load={one ?? screen.load!} steps={steps} />
}
