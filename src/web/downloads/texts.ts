/** Spec §2, download page: the texts for an invalid link. */
export const invalidLink = {
  title: 'Invalid download link',
  description:
    'The file was removed, the link has expired, or the address is wrong. Ask the sender for a new link.',
}

/** Spec §8: the texts for a failed download. */
export const downloadFailed = {
  title: 'Download failed',
  description:
    'The file could not be downloaded. It may have been removed or the link may have expired.',
}
