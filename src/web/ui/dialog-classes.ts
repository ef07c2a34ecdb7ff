export const backdropClass =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popupBaseClass =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

export const popupClass = `${popupBaseClass} w-[min(440px,calc(100vw-32px))]`

/** For dialogs that show more than a sentence, such as a list or a drawing. */
export const widePopupClass = `${popupBaseClass} w-[min(520px,calc(100vw-32px))]`
