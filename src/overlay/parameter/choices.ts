export const drawingStyles = ['bars', 'columns', 'donut', 'versus', 'ticker', 'big-number'] as const;
export type DrawingStyle = (typeof drawingStyles)[number];

export const themeNames = ['dark', 'light', 'flat', 'outline'] as const;
export type ThemeName = (typeof themeNames)[number];

export const valueDisplays = ['percent', 'count', 'both'] as const;
export type ValueDisplay = (typeof valueDisplays)[number];
