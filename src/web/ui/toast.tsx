import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from './button.tsx'
import { takeStoredToast } from './stored-toast.ts'
import type { ToastLink, ToastOptions } from './toast-options.ts'

/** Spec §9: toasts stay for 5 s by default, one at a time. */
const defaultDurationMs = 5000

const toastId = 'the-one-toast'

interface ToastData {
  link: ToastLink | null
}

let manager: ReturnType<typeof Base.createToastManager<ToastData>> | undefined
function getToastManager() {
  manager ??= Base.createToastManager<ToastData>()
  return manager
}

let isErrorShown = false
/** The latest background event, shown when the current error closes. */
let pendingToast: ToastOptions | null = null

/**
 * Shows a toast in place of the current one. A background event that isn't an error waits until a
 * displayed error closes.
 */
export function toast(options: ToastOptions): void {
  if (options.isNews && isErrorShown && options.tone !== 'destructive') pendingToast = options
  else showToast(options)
}

function showToast({
  title,
  description,
  link,
  tone = 'plain',
  durationMs = defaultDurationMs,
}: ToastOptions): void {
  isErrorShown = tone === 'destructive'
  getToastManager().add({
    id: toastId,
    title,
    description,
    type: tone,
    data: { link: link ?? null },
    timeout: durationMs,
    onClose,
  })
}

function onClose(): void {
  isErrorShown = false
  const nextToast = pendingToast
  pendingToast = null
  if (nextToast) showToast(nextToast)
}

function Toasts() {
  const { toasts, close } = Base.useToastManager<ToastData>()
  return toasts.map((item) => (
    <Base.Root
      key={item.id}
      toast={item}
      swipeDirection={['left', 'right', 'up']}
      className="group w-full rounded-card border border-line bg-surface text-ink shadow-float transition-[opacity,translate] duration-180 data-[type=destructive]:border-red data-ending-style:opacity-0 data-starting-style:-translate-y-2 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-start gap-3 py-3.5 pr-2.5 pl-4">
        <CircleAlert
          aria-hidden="true"
          className="mt-0.5 hidden size-[18px] shrink-0 text-red group-data-[type=destructive]:block"
        />
        {/* The viewport is a polite live region, but an alert inside it is announced immediately.
            The key makes screen readers announce a message again if it is repeated. */}
        <div
          key={item.updateKey}
          role={item.type === 'destructive' ? 'alert' : undefined}
          className="min-w-0 flex-1 self-center wrap-anywhere"
        >
          <Base.Title className="font-semibold text-base" render={<p />} />
          <Base.Description className="mt-0.5 text-muted" />
          {item.data?.link ? (
            <a
              href={item.data.link.href}
              target="_blank"
              rel="noreferrer"
              className="mt-1 inline-flex items-center font-[560] text-accent underline underline-offset-3 pointer-coarse:min-h-11"
            >
              {item.data.link.text}
            </a>
          ) : null}
        </div>
        <div className="-my-1.5 shrink-0">
          <IconButton label="Dismiss" icon={<X />} onClick={() => close(item.id)} />
        </div>
      </Base.Content>
    </Base.Root>
  ))
}

/** Renders the toasts. Used once, at the root of the application. */
export function Toaster() {
  useEffect(() => {
    isErrorShown = false
    pendingToast = null
    const storedToast = takeStoredToast()
    if (storedToast) toast(storedToast)
  }, [])
  return (
    <Base.Provider toastManager={getToastManager()} timeout={defaultDurationMs} limit={1}>
      <Base.Portal>
        {/* Below the header and, in wide windows, away from the buttons at the ends of rows. */}
        <Base.Viewport className="fixed inset-x-3 top-17 z-50 mx-auto max-w-[380px]">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}
