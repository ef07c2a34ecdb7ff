import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { IconButton } from './button.tsx'
import { useToastPlace } from './toast-place.ts'
import {
  createToastTurns,
  type ToastLink,
  type ToastOptions,
  type ToastTurns,
} from './toast-turns.ts'

/** Spec §9: toasts stay 5 s by default, one toast at a time. */
const defaultDurationMs = 5000

const theOne = 'the-one-toast'
const keptKey = 'mayfly-toast'

interface ToastData {
  link: ToastLink | null
}

let manager: ReturnType<typeof Base.createToastManager<ToastData>> | undefined
function theManager() {
  manager ??= Base.createToastManager<ToastData>()
  return manager
}

let turns: ToastTurns | undefined
function theTurns() {
  turns ??= createToastTurns(
    (
      { title, description, link = null, tone = 'plain', durationMs = defaultDurationMs },
      onClose,
    ) =>
      theManager().add({
        id: theOne,
        title,
        description,
        type: tone,
        data: { link },
        timeout: durationMs,
        onClose,
      }),
  )
  return turns
}

/**
 * Shows a toast instead of the current one. News waits until a failure has been shown long enough.
 * Any code may call this.
 */
export function toast(options: ToastOptions): void {
  theTurns().add(options)
}

/** Keeps a toast for the page that the browser is about to load. That page shows it. */
export function toastOnNextPage(options: ToastOptions): void {
  try {
    sessionStorage.setItem(keptKey, JSON.stringify(options))
  } catch {
    // sessionStorage is blocked or full, so the next page shows no toast.
  }
}

function takeKept(): ToastOptions | null {
  try {
    const kept = sessionStorage.getItem(keptKey)
    sessionStorage.removeItem(keptKey)
    return kept === null ? null : (JSON.parse(kept) as ToastOptions)
  } catch {
    return null
  }
}

function Toasts({ viewport }: { viewport: RefObject<HTMLDivElement | null> }) {
  const { toasts, close } = Base.useToastManager<ToastData>()
  useToastPlace(viewport, toasts[0])
  return toasts.map((shown) => (
    <Base.Root
      key={shown.id}
      toast={shown}
      swipeDirection={['left', 'right', 'up']}
      className="group w-full rounded-card border border-line bg-surface text-ink shadow-float transition-[opacity,translate] duration-180 data-[type=destructive]:border-red data-ending-style:opacity-0 data-starting-style:-translate-y-2 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-start gap-3 py-3.5 pr-2.5 pl-4">
        <CircleAlert
          aria-hidden="true"
          className="mt-0.5 hidden size-[18px] shrink-0 text-red group-data-[type=destructive]:block"
        />
        {/* The viewport is a polite live region. Screen readers read an alert inside it
            immediately. When the same text is shown again, the new key makes them read it
            again. */}
        <div
          key={shown.updateKey}
          role={shown.type === 'destructive' ? 'alert' : undefined}
          className="min-w-0 flex-1 self-center wrap-anywhere"
        >
          <Base.Title className="font-semibold text-base" render={<p />} />
          <Base.Description className="mt-0.5 text-muted" />
          {shown.data?.link ? (
            <a
              href={shown.data.link.href}
              target="_blank"
              rel="noreferrer"
              className="mt-1 inline-flex items-center font-[560] text-accent underline underline-offset-3 pointer-coarse:min-h-11"
            >
              {shown.data.link.text}
            </a>
          ) : null}
        </div>
        <div className="-my-1.5 shrink-0">
          <IconButton label="Dismiss" icon={<X />} onClick={() => close(shown.id)} />
        </div>
      </Base.Content>
    </Base.Root>
  ))
}

/** The element that shows toasts. It is used once, at the root of the application. */
export function Toaster() {
  const viewport = useRef<HTMLDivElement>(null)
  useEffect(() => {
    theTurns().reset()
    const kept = takeKept()
    if (kept) toast(kept)
  }, [])
  return (
    <Base.Provider toastManager={theManager()} timeout={defaultDurationMs} limit={1}>
      <Base.Portal>
        {/* A toast begins below the header and below what sticks to the top of a page. In the
            middle of a wide window it does not cover the buttons of the rows, which stand at both
            ends. Where it would still cover a button, it is moved further down. */}
        <Base.Viewport ref={viewport} className="fixed inset-x-3 top-17 z-50 mx-auto max-w-[380px]">
          <Toasts viewport={viewport} />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}
