/** Styles of a room that is loaded by itself come with its code. */
declare module "*.css";
