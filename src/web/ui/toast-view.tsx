import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import type { ToastLink, ToastOptions } from './toast-options.ts'

/** Spec §9: toasts stay for 5 s by default, one at a time. */
const defaultDurationMs = 5000

const toastId = 'the-one-toast'

interface ToastData {
  link: ToastLink | null
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

/** Shows each new toast in place of the one before. */
export function ToastView({ options, onClose }: { options: ToastOptions; onClose: () => void }) {
  const [manager] = useState(() => Base.createToastManager<ToastData>())
  useEffect(() => {
    const { title, description, link, tone = 'plain', durationMs = defaultDurationMs } = options
    manager.add({
      id: toastId,
      title,
      description,
      type: tone,
      data: { link: link ?? null },
      timeout: durationMs,
      onClose,
    })
  }, [manager, options, onClose])
  return (
    <Base.Provider toastManager={manager} timeout={defaultDurationMs} limit={1}>
      <Base.Portal>
        {/* Below the header and, in wide windows, away from the buttons at the ends of rows. */}
        <Base.Viewport className="fixed inset-x-3 top-17 z-50 mx-auto max-w-[380px]">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}
